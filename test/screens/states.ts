// Every state a payer can meet, by method, each brought about on a running node.
import { codes } from './codes.ts';
import { holds } from './holds.ts';
import { pushes } from './pushes.ts';
import { references } from './references.ts';
import type { States } from './scene.ts';
import { strays } from './strays.ts';

export const STATES: Record<string, States> = {
  push: pushes,
  hold: holds,
  code: codes,
  reference: references,
  other: strays,
};
