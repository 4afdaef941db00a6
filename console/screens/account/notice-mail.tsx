// The person's choice of notices by mail. Mails of notices link here.
import type { Profile } from '../../../packages/client/src/contract.ts';
import type { Act, ScreenProps } from '../../../shared/console.ts';
import { defaultNoticeMail, NOTICE_GROUPS } from '../../../shared/notices.ts';
import { ActForm, Check } from '../../form.tsx';
import { Card, textsOf } from '../../parts.tsx';
import { fill } from '../../words.ts';

export const NOTICE_MAIL: Act = {
  operation: 'changeProfile',
  buildCall: (form) => ({ body: { noticeMail: NOTICE_GROUPS.filter((group) => group in form) } }),
};

export function NoticeMail({ page }: { page: ScreenProps<{ profile: Profile }> }) {
  const t = textsOf(page);
  const { email, noticeMail, merchants } = page.data.profile;
  const chosen: readonly string[] = noticeMail ?? merchants.flatMap(({ role }) => defaultNoticeMail(role));
  return (
    <div id="notices">
      <Card title={t['noticeMail.title']}>
        <ActForm page={page} name="noticeMail" button={t['noticeMail.save']} tone="plain" tag={page.tags['profile']}>
          <p class="small quiet">{fill(t['noticeMail.about'], { email })}</p>
          {NOTICE_GROUPS.map((group) => (
            <Check
              key={group}
              page={page}
              act="noticeMail"
              name={group}
              label={t[`noticeMail.${group}`]}
              isOn={chosen.includes(group)}
            />
          ))}
        </ActForm>
      </Card>
    </div>
  );
}
