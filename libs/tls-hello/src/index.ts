export * from './alert.ts';
export { createHelloReader, type HelloReader } from './hello-reader.ts';
export { HELLO_BYTES_MAX, type HelloReading, type HelloRefusal } from './reading.ts';
