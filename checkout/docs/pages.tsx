// The API reference: an index of every operation, and a page for each tag.
import type { ComponentChildren } from 'preact';
import type { DocsName, DocsOperation, DocsTag, DocsView } from '../../shared/docs.ts';
import { matchesQuery } from '../../shared/search.ts';
import { renderDocument } from '../document.tsx';
import { Command } from './Command.tsx';
import { markInline } from './Markup.tsx';
import { Address, Operation } from './Operation.tsx';
import { styles } from './styles.ts';

/**
 * Renders `/docs`: an introduction, and every API operation by its tag.
 * A query leaves the operations whose title, address or description has its words.
 */
export function renderDocs(view: DocsView, query = ''): string {
  const tags = view.tags
    .map((tag) => ({ ...tag, operations: tag.operations.filter((each) => matchesQuery(query, wordsOf(tag, each))) }))
    .filter(({ operations }) => operations.length > 0);
  const count = tags.reduce((sum, { operations }) => sum + operations.length, 0);
  const content = (
    <>
      <div class="intro">
        <h1>Balcão API {view.version}</h1>
        <p class="quiet">{view.about}</p>
      </div>
      {query === '' && <Begin view={view} />}
      <form role="search" class="field" action="/docs" data-filter>
        <label for="filter">Find an operation</label>
        <div class="search">
          <div class="input">
            <input id="filter" name="q" type="search" defaultValue={query} autocomplete="off" spellcheck={false} />
          </div>
          <button>Search</button>
        </div>
        <p class="quiet small" role="status" data-count>
          {count === 1 ? '1 operation' : `${count} operations`}
        </p>
        {query && (
          <p>
            <a href="/docs">All operations</a>
          </p>
        )}
      </form>
      {tags.map((tag) => (
        <section class="tag" aria-labelledby={tag.slug}>
          <h2 id={tag.slug}>
            <a href={`/docs/${tag.slug}`}>{tag.name}</a>
          </h2>
          <ul class="operations">
            {tag.operations.map((operation) => (
              <li data-operation>
                <a href={`/docs/${tag.slug}#${operation.id}`}>{operation.summary}</a>
                <span class="address small">
                  <Address operation={operation} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
  return renderPage(view, null, content);
}

/** The first steps: a token, the variables, and the rules for all operations. */
function Begin({ view }: { view: DocsView }) {
  return (
    <section class="card pad stack" aria-labelledby="begin">
      <h2 id="begin">Begin</h2>
      <p>An access token is valid for one hour. The commands on these pages read it from a shell variable:</p>
      <Command text={view.tokenCommand} of="Request a token" />
      <p>
        Set the other variables, such as <code>$PAYMENT_ID</code>, before you run a command. Each page begins with its
        variables.{view.namesCommand && ' Two values of the test environment:'}
      </p>
      {view.namesCommand && <Command text={view.namesCommand} of="Set the variables of the test environment" />}
      <p>
        Commands that change data create a new <code>Idempotency-Key</code>. If your code may send a request twice, use
        a key that stays the same, such as the number of the order.
      </p>
      <p>
        Every error is a problem (RFC 9457) with a stable <code>code</code>: <a href="/problems">all problems</a>. The
        OpenAPI document: <a href="/openapi.json">openapi.json</a>. For Postman and Bruno:{' '}
        <a href="/docs/balcao.postman_collection.json" download>
          a collection
        </a>
        .
      </p>
    </section>
  );
}

function wordsOf(tag: DocsTag, { summary, method, path, description }: DocsOperation): string {
  return [tag.name, summary, method, path, description].join(' ');
}

/** Renders `/docs/{tag}`: each operation of the tag in full. */
export function renderDocsTag(view: DocsView, tag: DocsTag): string {
  const content = (
    <>
      <h1>{tag.name}</h1>
      <ul class="contents">
        {tag.operations.map(({ id, summary }) => (
          <li>
            <a href={`#${id}`}>{summary}</a>
          </li>
        ))}
      </ul>
      <Names names={tag.names} />
      {tag.operations.map((operation) => (
        <Operation operation={operation} tryAs={view.tryAs} />
      ))}
    </>
  );
  return renderPage(view, tag, content);
}

/** The shell variable for the access token. The index page explains how to set it. */
const TOKEN = 'TOKEN';

/** The shell variables of the commands, and texts that say where to find their values. */
function Names({ names }: { names: DocsName[] }) {
  if (names.length === 0) return null;
  return (
    <section class="card pad stack" aria-labelledby="names">
      <h2 id="names">Variables</h2>
      <p>The commands below read these variables from your shell. Set them first.</p>
      <dl class="names">
        {names.map(({ name, about }) => (
          <div>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>{name === TOKEN ? <a href="/docs#begin">{about}</a> : markInline(about)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function renderPage(view: DocsView, current: DocsTag | null, content: ComponentChildren): string {
  const page = (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class={current ? 'top deep' : 'top'}>
        <a href="/docs" {...(!current && { 'aria-current': 'page' })}>
          Balcão API
        </a>
        <nav aria-label="Tags">
          {view.tags.map(({ slug, name }) => (
            <a href={`/docs/${slug}`} {...(slug === current?.slug && { 'aria-current': 'page' })}>
              {name}
            </a>
          ))}
        </nav>
      </header>
      <main id="main" class="wide stack" {...(view.tryAs && { 'data-try-as': view.tryAs })}>
        {content}
      </main>
      <p class="unseen" role="status" data-said />
    </>
  );
  const title = `${current ? `${current.name} · ` : ''}Balcão API`;
  return renderDocument({ lang: 'en', title, content: page, script: view.script, css: styles });
}
