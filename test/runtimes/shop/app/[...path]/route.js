// The App Router's way to serve the program.
import { answer } from '../../program.js';

export const dynamic = 'force-dynamic';
export { answer as GET, answer as POST };
