export { decodeEvent, operationIdOf } from './decode.ts';
export { followWorld, type View, type ViewOptions } from './view.ts';
