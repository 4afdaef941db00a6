// The shop's articles in their order, with forms to add, change, hide, move and delete them.
import type { ListedArticle } from '../../../packages/client/src/contract.ts';
import type { ScreenProps } from '../../../shared/console.ts';
import { ActForm, Field, Folded, FoldedAct } from '../../form.tsx';
import type { Screen } from '../../layout.tsx';
import { Badge, Card, Empty, Head, Money, textsOf, type AnyScreenProps } from '../../parts.tsx';
import { fill, typedAmount, writeMajor } from '../../words.ts';
import { CURRENCY } from './sum.ts';

type Page = { articles: { data: ListedArticle[] } };

/** The call that changes fields of the article in the form. */
const changeBy =
  (read: (form: Record<string, string>) => object): Screen['acts'][string]['buildCall'] =>
  ({ articleId = '', ...form }) => ({ params: { articleId }, body: read(form) });

const change = (read: (form: Record<string, string>) => object) =>
  ({ operation: 'changeArticle', buildCall: changeBy(read) }) as const;

export const articles: Screen = {
  path: '/console/articles',
  needs: 'createArticle',
  menu: { group: 'shop', text: 'articles.title', icon: 'tag' },
  reads: () => ({ articles: { operation: 'listArticles' } }),
  acts: {
    articleCreate: {
      operation: 'createArticle',
      buildCall: ({ name = '', price }) => ({ body: { name, price: typedAmount(price), currency: CURRENCY } }),
    },
    articleChange: change(({ name = '', price }) => ({ name, price: typedAmount(price) })),
    articleHide: change(() => ({ isActive: false })),
    articleShow: change(() => ({ isActive: true })),
    articleMove: change(({ position }) => ({ position: Number(position) })),
    articleRemove: {
      operation: 'deleteArticle',
      buildCall: ({ articleId = '' }) => ({ params: { articleId } }),
    },
  },
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { data } = page.data.articles;
    const content = (
      <>
        <Head title={t['articles.title']} />
        <p class="quiet">{t['articles.about']}</p>
        <Card>
          <Folded page={page} act="articleCreate" title={t['articles.new']} isOpen={data.length === 0}>
            <ActForm page={page} name="articleCreate" button={t['articles.add']}>
              <ArticleFields page={page} act="articleCreate" />
            </ActForm>
          </Folded>
        </Card>
        {data.length === 0 ? (
          <Empty text={t['articles.none']} />
        ) : (
          <ul class="card articles">
            {data.map((article) => (
              <Entry key={article.id} page={page} article={article} isLast={article.position === data.length} />
            ))}
          </ul>
        )}
      </>
    );
    return { title: t['articles.title'], content };
  },
};

/** @param article the article to change; absent for a new one */
function ArticleFields({ page, act, article }: { page: AnyScreenProps; act: string; article?: ListedArticle }) {
  const t = textsOf(page);
  const field = { page, act, required: true } as const;
  return (
    <>
      <Field
        {...field}
        name="name"
        label={t['articles.name']}
        hint={t['articles.name.hint']}
        value={article?.name ?? ''}
        maxLength={60}
      />
      <Field
        {...field}
        name="price"
        label={t['articles.price']}
        value={writeMajor(article?.price)}
        inputmode="decimal"
        maxLength={14}
      />
    </>
  );
}

type EntryProps = { page: ScreenProps<Page>; article: ListedArticle; isLast: boolean };

/** One article. The forms below its name are folded, and open again after a refusal of this article. */
function Entry({ page, article, isLast }: EntryProps) {
  const t = textsOf(page);
  const { id, name, price, currency, isActive, position, etag } = article;
  const own = page.refused?.typed['articleId'] === id ? page : { ...page, refused: null };
  const kept = <input type="hidden" name="articleId" value={id} />;
  const labelOf = (action: string) => fill(t['articles.of'], { action, name });
  const toggle = isActive ? 'articleHide' : 'articleShow';
  return (
    <li id={`article-${id}`}>
      <p class="article">
        <span>
          {name} {!isActive && <Badge icon="stop" tone="quiet" text={t['articles.hidden']} />}
        </span>
        <Money amount={price} currency={currency} />
      </p>
      <div class="moves">
        {position > 1 && (
          <Press page={page} act="articleMove" label={labelOf(t['articles.up'])} text="↑">
            {kept}
            <input type="hidden" name="position" value={position - 1} />
          </Press>
        )}
        {!isLast && (
          <Press page={page} act="articleMove" label={labelOf(t['articles.down'])} text="↓">
            {kept}
            <input type="hidden" name="position" value={position + 1} />
          </Press>
        )}
        <Press
          page={page}
          act={toggle}
          label={labelOf(t[isActive ? 'articles.hide' : 'articles.show'])}
          text={t[isActive ? 'articles.hide' : 'articles.show']}
        >
          {kept}
        </Press>
      </div>
      <Folded page={own} act="articleChange" title={t['articles.change']}>
        <ActForm page={own} name="articleChange" button={t['articles.save']} tone="plain" tag={etag}>
          {kept}
          <ArticleFields page={own} act={own.refused ? 'articleChange' : `articleChange-${id}`} article={article} />
        </ActForm>
        <FoldedAct
          page={own}
          name="articleRemove"
          title={t['articles.remove']}
          sure={t['articles.remove.sure']}
          button={t['articles.remove']}
          tone="plain danger"
        >
          {kept}
        </FoldedAct>
      </Folded>
    </li>
  );
}

type PressProps = Pick<EntryProps, 'page'> & { act: string; label: string; text: string; children: any };

/** A form of one button. */
function Press({ page, act, label, text, children }: PressProps) {
  return (
    <form method="post">
      <input type="hidden" name="act" value={act} />
      <input type="hidden" name="token" value={page.visitor.formToken} />
      <input type="hidden" name="key" value={page.key} />
      {children}
      <button class="plain" aria-label={label}>
        {text}
      </button>
    </form>
  );
}
