// The SMS screens, in the order of the menu.
import type { Screen } from '../../layout.tsx';
import { smsAccount } from './account.tsx';
import { smsContact } from './contact.tsx';
import { smsContacts } from './contacts.tsx';
import { smsHistory } from './history.tsx';
import { smsList } from './list.tsx';
import { smsLists } from './lists.tsx';
import { smsOptOuts } from './opt-outs.tsx';
import { smsSchedule } from './schedule.tsx';
import { smsSend } from './send.tsx';
import { smsTemplate } from './template.tsx';
import { smsTemplates } from './templates.tsx';

export const smsScreens: readonly Screen[] = [
  smsAccount,
  smsSend,
  smsHistory,
  smsSchedule,
  smsContacts,
  smsContact,
  smsLists,
  smsList,
  smsTemplates,
  smsTemplate,
  smsOptOuts,
];
