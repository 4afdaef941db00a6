// The payers' texts by language and key.
import type { Lang } from '../../shared/checkout.ts';
import type { TextKey } from '../view.ts';
import { en } from './en.ts';
import { fr } from './fr.ts';
import { pt } from './pt.ts';

/** The payers' texts, for the session, its failure message and the form's errors. */
export const texts: Record<Lang, Record<TextKey, string>> = { pt, en, fr };
