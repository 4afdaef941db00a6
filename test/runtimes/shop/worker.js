// The program as a Worker of Cloudflare, bundled to worker.mjs.
import { answer } from './program.js';

export default { fetch: answer };
