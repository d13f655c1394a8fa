export { type Demo, type DemoOptions, startDemo } from './start-demo.ts';
