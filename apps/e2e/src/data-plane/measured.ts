/** Rows of the specification that measure the memory of a process, which therefore has to be one of its own: memory.test.ts. */
export const MEASURED_ELSEWHERE: readonly string[] = ['body-30', 'ws-39'];
