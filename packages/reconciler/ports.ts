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
export type PortFactories<Ports, Surroundings> = [keyof WiredPorts<Ports>] extends [never]
  ? Readonly<Record<string, never>>
  : { readonly [Name in keyof WiredPorts<Ports>]: (surroundings: Surroundings) => WiredPorts<Ports>[Name] };

/** Creates each port once. */
export function makePorts<Ports, Surroundings>(
  factories: PortFactories<Ports, Surroundings>,
  surroundings: Surroundings,
): WiredPorts<Ports> {
  const made = Object.entries<(given: Surroundings) => unknown>(factories).map(
    ([name, make]) => [name, make(surroundings)] as const,
  );
  return Object.fromEntries(made) as WiredPorts<Ports>; // True: each name has the result of its factory.
}
