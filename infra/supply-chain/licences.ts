// The licences that are allowed in shipped code, and the additional licences that are allowed in development tools.
// Pure. Expressions: https://spdx.github.io/spdx-spec/v2.3/SPDX-license-expressions/
import parseExpression, { type Info } from 'spdx-expression-parse';

/** These licences only require a notice. `npm run supply-chain` writes the notices. */
const permissive: ReadonlySet<string> = new Set([
  'MIT',
  'MIT-0',
  'Apache-2.0',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'Unlicense',
]);

/** The licences of development tools, which are not distributed. */
const forTools: ReadonlySet<string> = new Set([
  ...permissive,
  'MPL-2.0',
  'CC-BY-3.0',
  'CC-BY-4.0',
  'PSF-2.0',
  'Python-2.0',
]);

export interface LicensedPackage {
  readonly name: string;
  readonly version: string;
  /** The licence in its package.json. Undefined if there is none. */
  readonly licence: string | undefined;
  /** The chain from the project's package.json to the package. */
  readonly path: string;
  /** Whether the package is shipped. It is not a development dependency. */
  readonly isShipped: boolean;
}

/** Returns one line for each package whose licence is not allowed for its use. */
export function checkLicences(packages: readonly LicensedPackage[]): readonly string[] {
  return packages.flatMap(({ name, version, licence, path, isShipped }) => {
    if (licence !== undefined && isAllowed(licence, isShipped ? permissive : forTools)) {
      return [];
    }
    const what = licence === undefined ? 'names no licence' : `has the licence ${licence}`;
    return [`${name}@${version} ${what}, which is not allowed in ${isShipped ? 'what is shipped' : 'tools'} (${path})`];
  });
}

/**
 * For an OR expression, one licence must be allowed. For an AND expression, all must be allowed. An invalid SPDX
 * expression is not allowed.
 */
export function isAllowed(expression: string, allowed: ReadonlySet<string>): boolean {
  try {
    return holds(parseExpression(expression), allowed);
  } catch {
    // The parser throws on syntax errors and on names that are not in SPDX.
    return false;
  }
}

function holds(licence: Info, allowed: ReadonlySet<string>): boolean {
  if ('license' in licence) {
    // An exception only adds permissions.
    return allowed.has(licence.license);
  }
  const [left, right] = [holds(licence.left, allowed), holds(licence.right, allowed)];
  return licence.conjunction === 'or' ? left || right : left && right;
}

/** The licence field of a package.json, in all its current and former forms. */
export function toLicence(field: unknown): string | undefined {
  if (typeof field === 'string') {
    return field;
  }
  if (Array.isArray(field)) {
    const all = field.map(toLicence).filter(one => one !== undefined);
    return all.length === 0 ? undefined : all.join(' OR ');
  }
  return typeof field === 'object' && field !== null && 'type' in field ? toLicence(field.type) : undefined;
}
