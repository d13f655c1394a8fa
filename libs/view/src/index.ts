export { decodeEvent, operationIdOf } from './decode.ts';
export { followWorld, type View, type ViewListener, type ViewOptions } from './view.ts';
