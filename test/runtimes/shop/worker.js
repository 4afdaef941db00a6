// Serves the program as a Cloudflare Worker. The test bundles this file to worker.mjs.
import { answer } from './program.js';

export default { fetch: answer };
