// The list of all states by payment method and in the widget. A running node produces each state.
import type { BasePage } from '../browser/pages/base.ts';
import { codes } from './codes.ts';
import { holds } from './holds.ts';
import { pushes } from './pushes.ts';
import { references } from './references.ts';
import type { States } from './checkout-fixture.ts';
import { dialogs, placed } from './shops.ts';
import { strays } from './strays.ts';

export const STATES: Record<string, States<BasePage>> = {
  push: pushes,
  hold: holds,
  code: codes,
  reference: references,
  other: strays,
  widget: placed,
  dialog: dialogs,
};
