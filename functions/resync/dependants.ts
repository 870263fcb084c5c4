// Which requests depend on the objects of which kinds. If a kind cannot be listed, its dependants cannot be compared.
// Pure.
import type { WorkTarget } from '../../shared/event-source/messages.ts';
import type { WatchRoute } from '../../shared/event-source/watch-set.ts';

type Routes = readonly Pick<WatchRoute, 'reconciler'>[];

/** The name of a primary, in its namespace. */
interface PrimaryName {
  readonly namespace?: string;
  readonly name: string;
}

export class Dependants {
  readonly #ofKind = new Map<string, Routes>();
  readonly #ofReferences = new Map<string, { readonly routes: Routes; readonly primaries: Set<string> }>();

  /** All primaries of these reconcilers depend on the kind with this id. */
  addAll(kindId: string, routes: Routes): void {
    this.#ofKind.set(kindId, routes);
  }

  /** The primary with this name references the kind. */
  add(kindId: string, routes: Routes, primary: PrimaryName): void {
    const known = this.#ofReferences.get(kindId) ?? { routes, primaries: new Set() };
    this.#ofReferences.set(kindId, known);
    known.primaries.add(toText(primary));
  }

  /** Returns true for the requests that depend on one of the kinds with these ids. */
  of(kindIds: ReadonlySet<string>): (target: WorkTarget) => boolean {
    const ids = [...kindIds];
    const all = new Set(ids.flatMap(id => this.#ofKind.get(id) ?? []).map(({ reconciler }) => reconciler));
    const some = ids.flatMap(id => {
      const known = this.#ofReferences.get(id);
      return known === undefined
        ? []
        : [{ ...known, reconcilers: new Set(known.routes.map(route => route.reconciler)) }];
    });
    return ({ reconciler, key }) =>
      all.has(reconciler) ||
      some.some(({ reconcilers, primaries }) => reconcilers.has(reconciler) && primaries.has(toText(key)));
  }
}

function toText({ namespace = '', name }: PrimaryName): string {
  return `${namespace}/${name}`;
}
