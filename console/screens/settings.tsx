// The merchant's settings: tax number and payment methods, branding with a preview, privacy, and allowed websites.
// Allowed websites may show the checkout in a frame, or are pages to which payers may return.
import type { Merchant } from '../../packages/client/src/contract.ts';
import type { ScreenProps } from '../../shared/console.ts';
import { LANGUAGES } from '../../shared/language.ts';
import { noticePathOf } from '../../shared/notice.ts';
import { readMajor } from '../../shared/money.ts';
import { MAX_LOGO_BYTES } from '../../shared/brand.ts';
import { WAYS } from '../../shared/ways.ts';
import { ActForm, Check, Field, FileField, firstWrong } from '../form.tsx';
import type { Screen } from '../layout.tsx';
import { Card, Head, Rows, textsOf } from '../parts.tsx';
import { money, writeMajor } from '../words.ts';

type Page = { merchant: Merchant };

/** Splits a text with one entry per line. */
const linesOf = (text = '') => text.split(/\s+/).filter((line) => line !== '');

export const settings: Screen = {
  path: '/console/settings',
  needs: 'readMerchant',
  menu: { group: 'shop', text: 'settings.title', icon: 'sliders' },
  holdsFrames: true,
  reads: () => ({ merchant: { operation: 'readMerchant' } }),
  acts: {
    saveBrand: {
      operation: 'updateMerchant',
      files: { brandLogo: 'picture' },
      buildCall({ name = '', defaultLanguage = '', brandColor = '', brandLogo, withoutLogo }) {
        const logo = brandLogo ? { brandLogo } : withoutLogo && { brandLogo: null };
        return { body: { name, defaultLanguage, brandColor: brandColor || null, ...logo } };
      },
    },
    saveShop: {
      operation: 'updateMerchant',
      buildCall({ taxId = '', cashierRefundLimit = '', ...form }) {
        const limit = cashierRefundLimit.trim() === '' ? null : readMajor(cashierRefundLimit);
        if (limit === null && cashierRefundLimit.trim() !== '') return 'cashierRefundLimit';
        const checkoutMethods = WAYS.filter((way) => form[way]);
        const takesCash = !!form['takesCash'];
        return { body: { taxId: taxId.trim() || null, checkoutMethods, cashierRefundLimit: limit, takesCash } };
      },
    },
    savePrivacy: {
      operation: 'updateMerchant',
      buildCall: ({ privacyContact = '', privacyNotice = '' }) => ({
        body: { privacyContact: privacyContact.trim() || null, privacyNotice: privacyNotice.trim() || null },
      }),
    },
    saveOrigins: {
      operation: 'updateMerchant',
      buildCall({ allowedOrigins, returnOrigins, searchKeys, uniqueReferences }) {
        const origins = { allowedOrigins: linesOf(allowedOrigins), returnOrigins: linesOf(returnOrigins) };
        return { body: { ...origins, searchKeys: linesOf(searchKeys), uniqueReferences: !!uniqueReferences } };
      },
    },
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const mayChange = page.visitor.may('updateMerchant');
    const content = (
      <>
        <Head title={t['settings.title']} />
        {mayChange ? <Forms page={page} /> : <Read page={page} />}
      </>
    );
    return { title: t['settings.title'], content };
  },
};

type Part = { page: ScreenProps<Page> };

/** The hosted page with the saved brand. The forms of a frame that is inert take no key and no press. */
function Preview({ page }: Part) {
  const t = textsOf(page);
  return (
    <iframe class="preview" name={FRAME} src={PREVIEW} title={t['settings.preview.about']} tabIndex={-1} {...INERT} />
  );
}

const FRAME = 'preview';
const PREVIEW = '/console/settings/preview';
/** JSX types of Preact lack the attribute. */
const INERT = { inert: true } as object;

function Read({ page }: Part) {
  const t = textsOf(page);
  const { merchant } = page.data;
  const { cashierRefundLimit: limit, checkoutMethods, takesCash, uniqueReferences } = merchant;
  return (
    <>
      <Card title={t['settings.shop']}>
        <Rows
          rows={[
            [t['settings.taxId'], merchant.taxId],
            [t['settings.entity'], merchant.entity],
            [t['settings.methods'], checkoutMethods.map((way) => t[`way.${way}`]).join(', ')],
            [t['settings.limit'], limit === null ? t['settings.limit.none'] : money(limit, 'AOA')],
            [t['settings.takesCash'], takesCash && t['settings.yes']],
          ]}
        />
      </Card>
      <Card title={t['settings.brand']}>
        <Rows rows={[[t['settings.name'], merchant.name]]} />
        <Preview page={page} />
      </Card>
      <Card title={t['settings.privacy']}>
        <Rows
          rows={[
            [t['settings.privacyContact'], merchant.privacyContact],
            [t['settings.privacyNotice'], merchant.privacyNotice],
          ]}
        />
        <NoticeLink page={page} />
      </Card>
      <Card title={t['settings.origins']}>
        <Rows
          rows={[
            [t['settings.allowedOrigins'], merchant.allowedOrigins.join(', ')],
            [t['settings.returnOrigins'], merchant.returnOrigins.join(', ')],
            [t['settings.searchKeys'], merchant.searchKeys.join(', ')],
            [t['settings.unique'], uniqueReferences && t['settings.yes']],
          ]}
        />
      </Card>
    </>
  );
}

function NoticeLink({ page }: Part) {
  const { id, defaultLanguage } = page.data.merchant;
  return (
    <p class="small">
      <a href={`${noticePathOf(id)}?lang=${defaultLanguage}`}>{textsOf(page)['settings.privacy.open']}</a>
    </p>
  );
}

function Forms({ page }: Part) {
  return (
    <>
      <ShopForm page={page} />
      <BrandForm page={page} />
      <PrivacyForm page={page} />
      <OriginsForm page={page} />
    </>
  );
}

function ShopForm({ page }: Part) {
  const t = textsOf(page);
  const { cashierRefundLimit: limit, checkoutMethods, entity, takesCash, taxId } = page.data.merchant;
  const about = { page, act: 'saveShop' };
  return (
    <Card title={t['settings.shop']}>
      <ActForm page={page} name={about.act} button={t['settings.save']} tag={page.tags['merchant']}>
        <Field
          {...about}
          name="taxId"
          label={t['settings.taxId']}
          hint={t['settings.taxId.hint']}
          value={taxId ?? ''}
          maxLength={20}
        />
        <fieldset>
          <legend>{t['settings.methods']}</legend>
          {WAYS.map((way) => (
            <Check key={way} {...about} name={way} label={t[`way.${way}`]} isOn={checkoutMethods.includes(way)} />
          ))}
        </fieldset>
        <Field
          {...about}
          name="cashierRefundLimit"
          label={t['settings.limit']}
          hint={t['settings.limit.hint']}
          value={writeMajor(limit)}
          inputmode="decimal"
          prefix="Kz"
        />
        <Check {...about} name="takesCash" label={t['settings.takesCash']} isOn={takesCash} />
      </ActForm>
      {entity && <Rows rows={[[t['settings.entity'], entity]]} />}
    </Card>
  );
}

const BRAND_FORM = 'brand';

function BrandForm({ page }: Part) {
  const t = textsOf(page);
  const { merchant } = page.data;
  const act = 'saveBrand';
  const color = (page.refused?.act === act && page.refused.typed['brandColor']) || merchant.brandColor;
  return (
    <Card title={t['settings.brand']}>
      <ActForm page={page} name={act} id={BRAND_FORM} button={t['settings.save']} tag={page.tags['merchant']} hasFiles>
        <Field page={page} act={act} name="name" label={t['settings.name']} value={merchant.name} maxLength={100} />
        <Field
          page={page}
          act={act}
          name="defaultLanguage"
          label={t['settings.language']}
          value={merchant.defaultLanguage}
          choices={LANGUAGES.map((each) => [each, t[`settings.language.${each}`]])}
        />
        <div class="picks">
          <Field
            page={page}
            act={act}
            name="brandColor"
            label={t['settings.color']}
            hint={t['settings.color.hint']}
            value={merchant.brandColor ?? ''}
            maxLength={7}
          />
          <input
            type="color"
            hidden
            value={isColor(color) ? color : HOUSE}
            aria-label={t['settings.color.pick']}
            data-picks={`${act}-brandColor`}
          />
        </div>
        {merchant.brandLogo && <Check page={page} act={act} name="withoutLogo" label={t['settings.withoutLogo']} />}
        <FileField
          page={page}
          act={act}
          name="brandLogo"
          label={merchant.brandLogo ? t['settings.logo.other'] : t['settings.logo']}
          hint={t['settings.logo.hint']}
          accept="image/png,image/jpeg,image/webp"
          maxBytes={MAX_LOGO_BYTES}
          tooLarge={t['wrong.invalid_logo']}
          picture={(page.refused?.act === act && page.refused.typed['brandLogo']) || null}
        />
      </ActForm>
      <h3>{t['settings.preview']}</h3>
      <p class="small quiet">{t['settings.preview.line']}</p>
      <button class="plain" form={BRAND_FORM} formAction={PREVIEW} formTarget={FRAME} data-preview>
        {t['settings.preview.button']}
      </button>
      <Preview page={page} />
    </Card>
  );
}

/** The default brand colour (shared/tokens.css) for a merchant without one. */
const HOUSE = '#0b5d5b';

const isColor = (text: string | null): text is string => text !== null && /^#[\da-f]{6}$/i.test(text);

function PrivacyForm({ page }: Part) {
  const t = textsOf(page);
  const { privacyContact, privacyNotice } = page.data.merchant;
  const about = { page, act: 'savePrivacy' };
  return (
    <Card title={t['settings.privacy']}>
      <p class="small quiet">{t['settings.privacy.about']}</p>
      <ActForm page={page} name={about.act} button={t['settings.save']} tag={page.tags['merchant']}>
        <Field
          {...about}
          name="privacyContact"
          label={t['settings.privacyContact']}
          hint={t['settings.privacyContact.hint']}
          value={privacyContact ?? ''}
          maxLength={200}
        />
        <Field
          {...about}
          name="privacyNotice"
          label={t['settings.privacyNotice']}
          hint={t['settings.privacyNotice.hint']}
          format={t['settings.privacyNotice.format']}
          value={privacyNotice ?? ''}
          lines={6}
        />
      </ActForm>
      <NoticeLink page={page} />
    </Card>
  );
}

function OriginsForm({ page }: Part) {
  const t = textsOf(page);
  const { merchant } = page.data;
  const { allowedOrigins, returnOrigins, searchKeys, uniqueReferences } = merchant;
  const about = { page, act: 'saveOrigins' };
  const fields = { allowedOrigins, returnOrigins };
  return (
    <Card title={t['settings.origins']}>
      <ActForm page={page} name={about.act} button={t['settings.save']} tag={page.tags['merchant']}>
        {(['allowedOrigins', 'returnOrigins'] as const).map((name) => (
          <Field
            key={`${merchant.id}-${name}`}
            {...about}
            name={name}
            pointer={firstWrong(page, name)}
            label={t[`settings.${name}`]}
            hint={t['settings.origins.hint']}
            value={fields[name].join('\n')}
            lines={3}
          />
        ))}
        <Field
          {...about}
          name="searchKeys"
          pointer={firstWrong(page, 'searchKeys')}
          label={t['settings.searchKeys']}
          hint={t['settings.searchKeys.hint']}
          format={t['settings.searchKeys.format']}
          value={searchKeys.join('\n')}
          lines={3}
        />
        <Check {...about} name="uniqueReferences" label={t['settings.unique']} isOn={uniqueReferences} />
      </ActForm>
    </Card>
  );
}
