// All routes of the SMS API.
import type { Core } from '../core.ts';
import type { Route } from '../http/route.ts';
import { contactRoutes } from './contacts.ts';
import { listContactWrites } from './list-contacts.ts';
import { listRoutes } from './lists.ts';
import { accountRoutes } from './account.ts';
import { importRoutes } from './import.ts';
import { previewRoutes } from './preview.ts';
import { scheduleRoutes } from './schedule.ts';
import { sendingRoutes } from './send.ts';
import { historyRoutes } from './history.ts';
import { optOutListRoutes } from './opt-outs/list.ts';
import { templateRoutes } from './templates.ts';

export function smsRoutes(core: Core): Route[] {
  return [
    ...contactRoutes(core),
    ...listRoutes(core),
    ...listContactWrites(core),
    ...importRoutes(core),
    ...accountRoutes(core),
    ...templateRoutes(core),
    ...historyRoutes(core),
    ...sendingRoutes(core),
    ...previewRoutes(core),
    ...scheduleRoutes(core),
    ...optOutListRoutes(core),
  ];
}
