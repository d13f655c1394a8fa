export { ownershipModel, TICK_MS } from './ownership/model.ts';
export { RULES, type Rule, type Setting } from './ownership/rules.ts';
export { publicationModel, type Setting as PublicationSetting } from './publication/model.ts';
export { type Bound, type Found, search } from './search.ts';
export { LONG, type Looked, lookAtAll } from './worlds.ts';
