export { decodeEvent, operationIdOf } from './decode.ts';
export { parseEndpoints, readStoreSetting, type StoreSetting } from './store-setting.ts';
export { followWorld, type View, type ViewListener, type ViewOptions } from './view.ts';
