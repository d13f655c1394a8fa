import type { Random } from '../random.ts';
import type { RequestDraft } from './draft.ts';

/** Changes a draft in place, for better or worse. */
export type Mutation = (draft: RequestDraft, random: Random, host: string) => void;
