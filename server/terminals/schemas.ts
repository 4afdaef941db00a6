// What the terminal calls take.
import { z } from 'zod';

/** Query of opening and closing. */
export const moveQuery = z.object({
  supervisorId: z
    .string()
    .regex(/^[\x21-\x7e]{1,64}$/)
    .optional()
    .describe('Whoever approves, 1 to 64 visible ASCII characters; needed where the terminal asks for approval'),
});
