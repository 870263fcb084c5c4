// All functions and operators of expressions, by name. Created when the first expression is compiled.
import { groupBy } from '@capi-serverless/apimachinery';
import { conversions, optionals } from './functions/conversions.ts';
import { lists, sets } from './functions/lists-and-sets.ts';
import { namedFormats } from './functions/named-formats.ts';
import { network } from './functions/network.ts';
import { operators } from './functions/operators.ts';
import { quantities } from './functions/quantity.ts';
import { regex } from './functions/regex.ts';
import { semvers } from './functions/semver.ts';
import { strings } from './functions/strings.ts';
import { times } from './functions/times.ts';
import { urls } from './functions/url.ts';
import type { Overload } from './overload.ts';

const libraries = [
  operators,
  strings,
  regex,
  lists,
  sets,
  conversions,
  optionals,
  times,
  urls,
  network,
  quantities,
  namedFormats,
  semvers,
];

/** The list of all overloads. */
export function allOverloads(): readonly Overload[] {
  return libraries.flat();
}

let known: ReadonlyMap<string, readonly Overload[]> | undefined;

/** Returns the overloads with this name. Functions in a namespace include the namespace: `sets.contains`. */
export function overloadsOf(name: string): readonly Overload[] {
  known ??= groupBy(allOverloads(), overload => overload.name);
  return known.get(name) ?? [];
}
