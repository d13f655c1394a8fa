export { type BannerInput, bannerLines } from './banner.ts';
export { createScreen, type Out, type Screen, type ScreenOptions } from './create-screen.ts';
export { hintFor, type Trouble } from './hint.ts';
export type { KeyHint, LastError, PartRow, ScreenModel, ServiceRow, ServiceState } from './model.ts';
export { type Look, render } from './render.ts';
export { type TerminalKind, terminalKind } from './terminal-kind.ts';
