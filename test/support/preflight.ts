// The first step of `npm test`: what the machine lacks is said before anything is built.
import { endOnTrouble, findBrowserTrouble, findTrouble } from './environment.ts';

endOnTrouble((await findTrouble()) ?? (await findBrowserTrouble()));
