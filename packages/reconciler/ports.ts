// The ports of a reconciler. The declaration names them, they are created once per process, and observe receives them
// with the reads.
import type { Declaration, DeclarationOf } from './types.ts';

/** Keeps the port names in the type of the declaration. */
export function declare<const Port extends string>(
  declaration: Declaration & { readonly ports: readonly Port[] },
): DeclarationOf<Port> {
  return declaration;
}

/** The ports that need an adapter: all except `dryRun`, which the client implements. */
export type WiredPorts<Ports> = Omit<Ports, 'dryRun'>;

/** Creates the adapter of each port. Without ports, the type is `{}`. */
export type PortFactories<Ports, Dependencies> = [keyof WiredPorts<Ports>] extends [never]
  ? Readonly<Record<string, never>>
  : { readonly [Name in keyof WiredPorts<Ports>]: (dependencies: Dependencies) => WiredPorts<Ports>[Name] };

/** Creates each port once. */
export function makePorts<Ports, Dependencies>(
  factories: PortFactories<Ports, Dependencies>,
  dependencies: Dependencies,
): WiredPorts<Ports> {
  const made = Object.entries<(given: Dependencies) => unknown>(factories).map(
    ([name, make]) => [name, make(dependencies)] as const,
  );
  return Object.fromEntries(made) as WiredPorts<Ports>; // True: each name has the result of its factory.
}
