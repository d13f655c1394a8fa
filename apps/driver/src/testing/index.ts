export { parseStaticState } from '../static-file.ts';
export * from './kube-options.ts';
export * from './kube-stage.ts';
