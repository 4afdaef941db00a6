// The route handler that serves the program in the App Router of Next.js.
import { answer } from '../../program.js';

export const dynamic = 'force-dynamic';
export { answer as GET, answer as POST };
