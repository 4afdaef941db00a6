// Columns by name instead of `*`: a newer node that adds one must not break the statements an older node has prepared.
import type { EntitySchema, MikroORM } from '@mikro-orm/postgresql';
import {
  ColumnNode,
  OperationNodeTransformer,
  ReferenceNode,
  SelectionNode,
  TableNode,
  type AliasNode,
  type DeleteQueryNode,
  type IdentifierNode,
  type InsertQueryNode,
  type KyselyPlugin,
  type OperationNode,
  type ReturningNode,
  type SelectAllNode,
  type SelectQueryNode,
  type UpdateQueryNode,
} from 'kysely';

/** The properties of an entity and their columns; all are named alike. */
export function propertiesOf({ meta }: EntitySchema): { property: string; column: string }[] {
  return Object.keys(meta.properties).map((property) => ({ property, column: columnOf(property) }));
}

/** What a property's column is called. */
function columnOf(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The columns of tables, by the names of both. */
export type Columns = ReadonlyMap<string, string[]>;

/** Those of all entities. */
export function columnsOf(orm: MikroORM): Columns {
  return new Map(
    [...orm.getMetadata().getAll().values()].map(({ tableName, props }) => [
      tableName,
      props.flatMap(({ fieldNames }) => fieldNames.slice(0, 1)),
    ]),
  );
}

/** Writes `selectAll()` and `returningAll()` of these tables as their columns; of what a `with` made it stays `*`. */
export function listColumns(tables: Columns): KyselyPlugin {
  return pluginOf(new ColumnLister(tables));
}

/** A plugin that rewrites queries before they are compiled. */
export function pluginOf(transformer: OperationNodeTransformer): KyselyPlugin {
  return {
    transformQuery: ({ node, queryId }) => transformer.transformNode(node, queryId),
    transformResult: async ({ result }) => result,
  };
}

type Selections = readonly SelectionNode[] | undefined;

class ColumnLister extends OperationNodeTransformer {
  readonly #tables: Columns;

  constructor(tables: Columns) {
    super();
    this.#tables = tables;
  }

  protected override transformSelectQuery(node: SelectQueryNode): SelectQueryNode {
    const sources = [...(node.from?.froms ?? []), ...(node.joins ?? []).map(({ table }) => table)];
    return super.transformSelectQuery({ ...node, ...this.#list(node, sources) });
  }

  protected override transformInsertQuery(node: InsertQueryNode): InsertQueryNode {
    return super.transformInsertQuery({ ...node, ...this.#listReturned(node, node.into ? [node.into] : []) });
  }

  protected override transformUpdateQuery(node: UpdateQueryNode): UpdateQueryNode {
    return super.transformUpdateQuery({ ...node, ...this.#listReturned(node, node.table ? [node.table] : []) });
  }

  protected override transformDeleteQuery(node: DeleteQueryNode): DeleteQueryNode {
    return super.transformDeleteQuery({ ...node, ...this.#listReturned(node, node.from.froms) });
  }

  #listReturned({ returning }: { returning?: ReturningNode | undefined }, sources: readonly OperationNode[]) {
    return returning && { returning: { ...returning, ...this.#list(returning, sources) } };
  }

  #list<T extends { selections?: Selections }>({ selections }: T, sources: readonly OperationNode[]) {
    return selections && { selections: selections.flatMap((selection) => this.#columnsOf(selection, sources)) };
  }

  #columnsOf(node: SelectionNode, sources: readonly OperationNode[]): SelectionNode[] {
    const { selection } = node;
    const isAll = selection.kind === 'SelectAllNode';
    if (!isAll && !isAllOfTable(selection)) return [node];
    const asked = isAll ? sources : sources.filter((source) => nameOf(source) === tableName(selection.table));
    const listed = asked.map((source) => this.#tables.get(tableName(source)) ?? null);
    if (listed.length === 0 || listed.includes(null)) return [node];
    return listed.flatMap((columns, nth) => {
      const table = TableNode.create(nameOf(asked[nth] as OperationNode));
      return (columns ?? []).map((column) =>
        SelectionNode.create(ReferenceNode.create(ColumnNode.create(column), table)),
      );
    });
  }
}

function isAllOfTable(node: OperationNode): node is ReferenceNode & { table: TableNode; column: SelectAllNode } {
  return ReferenceNode.is(node) && node.column.kind === 'SelectAllNode';
}

/** What a source is called in its query. */
function nameOf(source: OperationNode): string {
  return source.kind === 'AliasNode' ? ((source as AliasNode).alias as IdentifierNode).name : tableName(source);
}

function tableName(source: OperationNode): string {
  const node = source.kind === 'AliasNode' ? (source as AliasNode).node : source;
  return TableNode.is(node) ? node.table.identifier.name : '';
}
