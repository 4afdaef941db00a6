// The first step of `npm test` checks the machine before the build.
import { endOnTrouble, findBrowserTrouble, findTrouble } from './environment.ts';

endOnTrouble((await findTrouble()) ?? (await findBrowserTrouble()));
