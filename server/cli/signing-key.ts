// balcao rotate-signing-key, by its old name: the same as `keys rotate-signing`.
import { commandOf } from './action.ts';
import { keys } from './keys.ts';

export const rotateSigningKey = commandOf(keys['rotate-signing']);
