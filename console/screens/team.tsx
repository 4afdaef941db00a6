// Users with access to the merchant: their roles, open invitations, and forms to change or end access.
import type { Member } from '../../packages/client/src/contract.ts';
import type { ScreenProps } from '../../shared/console.ts';
import { ROLES } from '../../shared/roles.ts';
import { ActForm, Field, Folded, FoldedAct } from '../form.tsx';
import type { Screen } from '../layout.tsx';
import { Badge, Card, Head, textsOf } from '../parts.tsx';
import { dayOf, fill } from '../words.ts';

type Page = { members: { data: Member[] } };

export const team: Screen = {
  path: '/console/team',
  needs: 'listMembers',
  menu: { group: 'shop', text: 'team.title', icon: 'people' },
  reads: () => ({ members: { operation: 'listMembers', query: { pageSize: '100' } } }),
  acts: {
    invite: { operation: 'grantAccess', buildCall: ({ email = '', roleId = '' }) => ({ body: { email, roleId } }) },
    changeRole: { operation: 'grantAccess', buildCall: ({ email = '', roleId = '' }) => ({ body: { email, roleId } }) },
    removeMember: {
      operation: 'revokeAccess',
      buildCall: ({ userId = '', clients }) => ({
        params: { userId },
        ...(clients && { query: { revokeClients: 'true' } }),
      }),
    },
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const content = (
      <>
        <Head title={t['team.title']} />
        {page.visitor.may('grantAccess') && <Invite page={page} />}
        <ul class="stack bare">
          {page.data.members.data.map((member) => (
            <li key={member.userId}>
              <MemberCard page={page} member={member} />
            </li>
          ))}
        </ul>
      </>
    );
    return { title: t['team.title'], content };
  },
};

function choicesOf(page: ScreenProps<Page>): [string, string][] {
  const t = textsOf(page);
  return ROLES.map(({ id, name }) => [id, `${t[`role.${name}`]}${t['colon']}${t[`team.role.${name}`]}`]);
}

function Invite({ page }: { page: ScreenProps<Page> }) {
  const t = textsOf(page);
  const isLone = page.data.members.data.length < 2;
  return (
    <Card title={t['team.invite']}>
      <p class="quiet">{isLone ? t['team.lone'] : t['team.invite.about']}</p>
      <ActForm page={page} name="invite" button={t['team.invite.button']}>
        <Field page={page} act="invite" name="email" type="email" label={t['team.email']} maxLength={254} required />
        <Field page={page} act="invite" name="roleId" label={t['team.role']} choices={choicesOf(page)} />
      </ActForm>
    </Card>
  );
}

/** One user of the team. A visitor with the permission may change the role or end the user's access. */
function MemberCard({ page, member }: { page: ScreenProps<Page>; member: Member }) {
  const t = textsOf(page);
  const { userId, email, firstName, lastName, role, roleId, status, expiresAt } = member;
  const isInvited = status === 'Invited';
  const name = `${firstName ?? ''} ${lastName ?? ''}`.trim();
  const own = page.refused?.typed['userId'] === userId ? page : { ...page, refused: null };
  const kept = (
    <>
      <input type="hidden" name="userId" value={userId} />
      <input type="hidden" name="email" value={email} />
    </>
  );
  return (
    <Card title={name || email}>
      {name && <p class="quiet">{email}</p>}
      <p>
        <strong>{t[`role.${role}`]}</strong>{' '}
        {isInvited && (
          <Badge
            icon="clock"
            tone="warning"
            text={fill(t['team.invited'], { day: expiresAt ? dayOf(expiresAt) : '' })}
          />
        )}
      </p>
      {page.visitor.may('grantAccess') && (
        <Folded page={own} act="changeRole" title={t['team.change']}>
          <ActForm page={own} name="changeRole" button={t['team.change.button']} tone="plain">
            {kept}
            <label for={`role-${userId}`}>{t['team.role']}</label>
            <div class="input">
              <select id={`role-${userId}`} name="roleId">
                {choicesOf(page).map(([value, text]) => (
                  <option key={value} value={value} selected={value === roleId}>
                    {text}
                  </option>
                ))}
              </select>
            </div>
          </ActForm>
        </Folded>
      )}
      {page.visitor.may('revokeAccess') && (
        <FoldedAct
          page={own}
          name="removeMember"
          title={t['team.remove']}
          sure={fill(t['team.remove.sure'], { email })}
          button={t['team.remove']}
          tone="plain danger"
        >
          {kept}
          <label class="check">
            <input type="checkbox" name="clients" />
            {t['team.remove.clients']}
          </label>
        </FoldedAct>
      )}
    </Card>
  );
}
