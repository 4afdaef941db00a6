// States by template. States of one template share their layout, so tests fully check only the first, richest state.
import type { ScreenName } from '../../shared/screen.ts';

/** The variants of a screen: with an error, without a network, with a brand. */
type Look = 'pay, wrong' | 'pay, refused' | 'wait, offline' | 'long' | 'pale' | 'dark' | 'no payment';
type Embedded = 'widget: pay' | 'widget: wait' | 'widget: paid' | 'dialog' | 'dialog, not heard of';

/** Screens without a countdown share the template of `bank`. */
type DrawnAsOther = 'preparing';

export type Template = Exclude<ScreenName, DrawnAsOther> | Look | Embedded;

/** States by template, named as `nameState` does. */
export const TEMPLATES: Record<Template, readonly [richest: string, ...others: string[]]> = {
  pay: ['push: form', 'push: sending'],
  'pay, wrong': ['push: wrong number'],
  'pay, refused': [
    'push: refused, or by reference',
    'push: refused by the payer',
    'push: no funds',
    'push: over the limit',
    'push: number not active',
    'push: timed out',
    'push: terminal closed',
    'push: refused by the bank',
    'push: rail away',
  ],
  exhausted: ['push: no tries left, or by reference', 'push: no tries left'],
  checking: ['push: finding out'],
  wait: ['push: waiting', 'hold: reserving'],
  'wait, offline': ['push: offline'],
  bank: ['push: bank confirming', 'code: code past its end'],
  authorized: ['hold: authorized'],
  capturing: ['hold: capturing'],
  released: ['hold: released', 'hold: given back after a week'],
  scan: ['code: code, some paid', 'code: code'],
  reference: ['reference: copied', 'reference: reference', 'reference: any amount'],
  activating: ['reference: activating'],
  received: ['reference: received, given back in part', 'reference: received'],
  short: ['reference: another amount came'],
  paid: [
    'push: paid late',
    'push: paid',
    'push: paid, given back',
    'push: paid, given back in part',
    'hold: captured',
    'code: code paid',
    'code: code paid by all',
    'reference: reference paid',
    'reference: reference given back',
    'reference: closed after payments',
    'reference: paid late',
  ],
  failed: ['push: refused for good', 'hold: not authorized', 'hold: not captured'],
  canceled: ['reference: reference canceled', 'push: canceled', 'code: code canceled'],
  expired: ['reference: reference expired', 'push: expired', 'code: code expired'],
  'no payment': ['other: trouble', 'other: wrong link'],
  long: ['other: a long bill'],
  pale: ['other: a pale brand'],
  dark: ['other: a dark brand'],
  'widget: pay': ['widget: refused', 'widget: form', 'widget: wrong number'],
  'widget: wait': ['widget: waiting'],
  'widget: paid': ['widget: paid'],
  dialog: ['dialog: refused', 'dialog: form', 'dialog: waiting', 'dialog: paid'],
  'dialog, not heard of': ['dialog: not heard of'],
};

export const nameState = (method: string, state: string) => `${method}: ${state}`;

const RICHEST = new Set(Object.values(TEMPLATES).map(([richest]) => richest));

export const isRichest = (method: string, state: string) => RICHEST.has(nameState(method, state));
