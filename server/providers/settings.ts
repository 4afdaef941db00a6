// The schemas of settings that several connectors have.
import { z } from 'zod';

/** An address of a provider's API. */
export const baseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .max(2048)
  .regex(/^[^?#@]+$/, 'must be without user, query and fragment')
  .optional();

/** The sender name of SMS messages. */
export const senderName = z
  .string()
  .regex(/^(?=.*[A-Za-z])[A-Za-z0-9]{1,11}$/, 'must be 1 to 11 letters and digits, one letter at least');
