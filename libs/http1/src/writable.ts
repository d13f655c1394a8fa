/** What its maker may set, and whoever has it may not. */
export type Writable<T> = { -readonly [K in keyof T]: T[K] };
