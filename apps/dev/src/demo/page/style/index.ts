import { base } from './base.ts';
import { cards } from './cards.ts';
import { hero } from './hero.ts';
import { rows } from './rows.ts';

export const style = [base, hero, cards, rows].join('');
