// The merchant's settings: branding with a preview, accepted payment methods, and allowed websites.
// Allowed websites may show the checkout in a frame, or are pages to which payers may return.
import type { Merchant } from '../../packages/client/src/contract.ts';
import type { ScreenProps } from '../../shared/console.ts';
import { LANGUAGES } from '../../shared/language.ts';
import { readMajor } from '../../shared/money.ts';
import { MAX_LOGO_BYTES, readBrand } from '../../shared/brand.ts';
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
    saveRules: {
      operation: 'updateMerchant',
      buildCall({ cashierRefundLimit = '', searchKeys, uniqueReferences, ...form }) {
        const limit = cashierRefundLimit.trim() === '' ? null : readMajor(cashierRefundLimit);
        if (limit === null && cashierRefundLimit.trim() !== '') return 'cashierRefundLimit';
        const checkoutMethods = WAYS.filter((way) => form[way]);
        const rules = { searchKeys: linesOf(searchKeys), uniqueReferences: !!uniqueReferences };
        return { body: { ...rules, checkoutMethods, cashierRefundLimit: limit } };
      },
    },
    saveOrigins: {
      operation: 'updateMerchant',
      buildCall: ({ allowedOrigins, returnOrigins }) => ({
        body: { allowedOrigins: linesOf(allowedOrigins), returnOrigins: linesOf(returnOrigins) },
      }),
    },
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const mayChange = page.visitor.may('updateMerchant');
    const content = (
      <>
        <Head title={t['settings.title']} />
        <Preview page={page} />
        {mayChange ? <Forms page={page} /> : <Read page={page} />}
      </>
    );
    return { title: t['settings.title'], content };
  },
};

type Part = { page: ScreenProps<Page> };

/**
 * Draws a preview of the hosted checkout page: the merchant's name, the amount and the button.
 * SVG attributes set the colours, because the CSP forbids inline styles.
 */
function Preview({ page }: Part) {
  const t = textsOf(page);
  const { name, brandColor, brandLogo } = page.data.merchant;
  const brand = readBrand(brandColor)?.light ?? HOUSE;
  return (
    <Card title={t['settings.preview']}>
      <svg class="preview" viewBox="0 0 320 190" role="img" aria-label={t['settings.preview.about']}>
        <rect width="320" height="190" rx="12" fill="#faf8f4" />
        <rect x="24.500" y="20.500" width="271" height="149" rx="12" fill="#fff" stroke="#e4dfd5" />
        {brandLogo && <image href={brandLogo} x="44" y="34" width="24" height="24" />}
        <text x={brandLogo ? 78 : 44} y="51" font-size="14" fill="#1b1a17">
          {name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name}
        </text>
        <text x="44" y="96" font-size="28" font-weight="600" fill="#1b1a17">
          {money(1500, 'AOA')}
        </text>
        <rect x="44" y="116" width="232" height="38" rx="10" fill={brand} />
        <text x="160" y="140" font-size="14" font-weight="600" text-anchor="middle" fill="#fff">
          {t['settings.preview.pay']}
        </text>
      </svg>
    </Card>
  );
}

/** The default brand colour (shared/tokens.css) for a merchant without one. */
const HOUSE = '#0b5d5b';

/** Maximum number of characters of the name next to a logo. */
const LONGEST_NAME = 24;

function Read({ page }: Part) {
  const t = textsOf(page);
  const { merchant } = page.data;
  const { cashierRefundLimit: limit, checkoutMethods, uniqueReferences } = merchant;
  return (
    <Card>
      <Rows
        rows={[
          [t['settings.name'], merchant.name],
          [t['settings.methods'], checkoutMethods.map((way) => t[`way.${way}`]).join(', ')],
          [t['settings.limit'], limit === null ? t['settings.limit.none'] : money(limit, 'AOA')],
          [t['settings.unique'], uniqueReferences && t['settings.yes']],
          [t['settings.entity'], merchant.entity],
          [t['settings.searchKeys'], merchant.searchKeys.join(', ')],
          [t['settings.allowedOrigins'], merchant.allowedOrigins.join(', ')],
          [t['settings.returnOrigins'], merchant.returnOrigins.join(', ')],
        ]}
      />
    </Card>
  );
}

function Forms({ page }: Part) {
  return (
    <>
      <BrandForm page={page} />
      <RulesForm page={page} />
      <OriginsForm page={page} />
    </>
  );
}

function BrandForm({ page }: Part) {
  const t = textsOf(page);
  const { merchant } = page.data;
  const act = 'saveBrand';
  return (
    <Card title={t['settings.brand']}>
      <ActForm page={page} name={act} button={t['settings.save']} tag={page.tags['merchant']} hasFiles>
        <Field page={page} act={act} name="name" label={t['settings.name']} value={merchant.name} maxLength={100} />
        <Field
          page={page}
          act={act}
          name="defaultLanguage"
          label={t['settings.language']}
          value={merchant.defaultLanguage}
          choices={LANGUAGES.map((each) => [each, t[`settings.language.${each}`]])}
        />
        <Field
          page={page}
          act={act}
          name="brandColor"
          label={t['settings.color']}
          hint={t['settings.color.hint']}
          value={merchant.brandColor ?? ''}
          maxLength={7}
        />
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
    </Card>
  );
}

function RulesForm({ page }: Part) {
  const t = textsOf(page);
  const { cashierRefundLimit: limit, checkoutMethods, searchKeys, uniqueReferences } = page.data.merchant;
  const about = { page, act: 'saveRules' };
  return (
    <Card title={t['settings.rules']}>
      <ActForm page={page} name={about.act} button={t['settings.save']} tag={page.tags['merchant']}>
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
        <Field
          {...about}
          name="searchKeys"
          label={t['settings.searchKeys']}
          hint={t['settings.searchKeys.hint']}
          value={searchKeys.join('\n')}
          lines={3}
        />
        <Check {...about} name="uniqueReferences" label={t['settings.unique']} isOn={uniqueReferences} />
      </ActForm>
    </Card>
  );
}

function OriginsForm({ page }: Part) {
  const t = textsOf(page);
  const {
    merchant,
    merchant: { allowedOrigins, returnOrigins },
  } = page.data;
  const act = 'saveOrigins';
  const fields = { allowedOrigins, returnOrigins };
  return (
    <Card title={t['settings.origins']}>
      <ActForm page={page} name={act} button={t['settings.save']} tag={page.tags['merchant']}>
        {(['allowedOrigins', 'returnOrigins'] as const).map((name) => (
          <Field
            key={`${merchant.id}-${name}`}
            page={page}
            act={act}
            name={name}
            pointer={firstWrong(page, name)}
            label={t[`settings.${name}`]}
            hint={t['settings.origins.hint']}
            value={fields[name].join('\n')}
            lines={3}
          />
        ))}
      </ActForm>
    </Card>
  );
}
