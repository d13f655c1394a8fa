export * from './conversation.ts';
export { spell } from './spell.ts';
