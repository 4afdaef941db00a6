// Replaces `*` in queries by column names.
// A newer node may add a column, which would break the prepared statements of an older node.
import type { EntitySchema, MikroORM } from '@mikro-orm/postgresql';
import {
  AliasNode,
  ColumnNode,
  IdentifierNode,
  OperationNodeTransformer,
  ReferenceNode,
  SelectAllNode,
  SelectionNode,
  TableNode,
  type KyselyPlugin,
  type OperationNode,
  type QueryId,
} from 'kysely';

/** Lists the properties of an entity with their columns. */
export function propertiesOf({ meta }: EntitySchema): { property: string; column: string }[] {
  return Object.keys(meta.properties).map((property) => ({
    property,
    column: property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  }));
}

/** The column names of each table, by the table's name. */
export type Columns = ReadonlyMap<string, string[]>;

export function columnsOf(orm: MikroORM): Columns {
  return new Map(
    [...orm.getMetadata().getAll().values()].map(({ tableName, props }) => [
      tableName,
      props.flatMap(({ fieldNames }) => fieldNames.slice(0, 1)),
    ]),
  );
}

/**
 * Writes `selectAll()` and `returningAll()` of these tables as lists of columns.
 * A common table expression keeps its `*`.
 */
export function listColumns(tables: Columns): KyselyPlugin {
  return pluginOf(new ColumnLister(tables));
}

/** Creates a Kysely plugin that rewrites queries before they are compiled. */
export function pluginOf(transformer: OperationNodeTransformer): KyselyPlugin {
  return {
    transformQuery: ({ node, queryId }) => transformer.transformNode(node, queryId),
    transformResult: async ({ result }) => result,
  };
}

class ColumnLister extends OperationNodeTransformer {
  readonly #tables: Columns;

  constructor(tables: Columns) {
    super();
    this.#tables = tables;
  }

  protected override transformNodeList<T extends readonly OperationNode[] | undefined>(list: T, queryId?: QueryId): T {
    // Kysely also represents the argument of `count(*)` as a list of selected columns.
    const areSelected = /^(SelectQuery|Returning)Node$/.test(this.nodeStack.at(-1)?.kind ?? '');
    const listed = list?.flatMap((node) => (areSelected && SelectionNode.is(node) ? this.#list(node) : [node]));
    return super.transformNodeList(listed as typeof list, queryId);
  }

  #list(node: SelectionNode): SelectionNode[] {
    const { selection } = node;
    const isOfTable = ReferenceNode.is(selection) && SelectAllNode.is(selection.column);
    if (!isOfTable && !SelectAllNode.is(selection)) return [node];
    const sources = this.#sources().filter(({ name }) => !isOfTable || name === selection.table?.table.identifier.name);
    if (sources.length === 0 || sources.some(({ columns }) => !columns)) return [node];
    return sources.flatMap(({ name, columns = [] }) =>
      columns.map((column) =>
        SelectionNode.create(ReferenceNode.create(ColumnNode.create(column), TableNode.create(name))),
      ),
    );
  }

  /** Lists the tables of the innermost query, by their aliases in it. */
  #sources(): { name: string; columns: string[] | undefined }[] {
    const query = this.nodeStack.findLast(({ kind }) => /^(Select|Insert|Update|Delete)QueryNode$/.test(kind)) as Query;
    const { from, joins = [], into, table } = query;
    const nodes = into ? [into] : table ? [table] : [...(from?.froms ?? []), ...joins.map((join) => join.table)];
    return nodes.map((node) => {
      const [source, alias] = AliasNode.is(node) ? [node.node, node.alias] : [node, null];
      const own = TableNode.is(source) ? source.table.identifier.name : '';
      return { name: alias && IdentifierNode.is(alias) ? alias.name : own, columns: this.#tables.get(own) };
    });
  }
}

/** The parts of a query that name tables, for each kind of query. */
type Query = OperationNode & {
  from?: { froms: readonly OperationNode[] };
  joins?: readonly { table: OperationNode }[];
  into?: OperationNode;
  table?: OperationNode;
};
