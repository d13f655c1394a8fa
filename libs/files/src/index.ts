export { createFileAtomic, writeFileAtomic } from './write.ts';
