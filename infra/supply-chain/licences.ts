// Which licences may be in what is shipped, and which besides in tools that stay at home. Pure.
// Expressions: https://spdx.github.io/spdx-spec/v2.3/SPDX-license-expressions/

/** They ask for no more than to be named; `npm run supply-chain` writes the notices. */
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

/** Of tools: nothing of them is passed on. */
const forTools: ReadonlySet<string> = new Set([...permissive, 'MPL-2.0', 'CC-BY-4.0', 'PSF-2.0', 'Python-2.0']);

export interface LicensedPackage {
  readonly name: string;
  readonly version: string;
  /** As its own package.json says; undefined when it says nothing. */
  readonly licence: string | undefined;
  /** From package.json of the project to it. */
  readonly path: string;
  /** Reaches users: a dependency that is no development one. */
  readonly isShipped: boolean;
}

/** One line for each package that may not be where it is. */
export function checkLicences(packages: readonly LicensedPackage[]): readonly string[] {
  return packages.flatMap(({ name, version, licence, path, isShipped }) => {
    if (licence !== undefined && isAllowed(licence, isShipped ? permissive : forTools)) {
      return [];
    }
    const what = licence === undefined ? 'names no licence' : `has the licence ${licence}`;
    return [`${name}@${version} ${what}, which is not allowed in ${isShipped ? 'what is shipped' : 'tools'} (${path})`];
  });
}

/** Of alternatives one must be allowed, of what holds together all. What cannot be read is not allowed. */
export function isAllowed(expression: string, allowed: ReadonlySet<string>): boolean {
  const tokens = expression.match(/[()]|[^\s()]+/g) ?? [];
  const reader = new ExpressionReader(tokens, allowed);
  return reader.read();
}

class ExpressionReader {
  readonly #tokens: string[];
  readonly #allowed: ReadonlySet<string>;

  constructor(tokens: readonly string[], allowed: ReadonlySet<string>) {
    this.#tokens = [...tokens];
    this.#allowed = allowed;
  }

  read(): boolean {
    return this.#either() && this.#tokens.length === 0;
  }

  #either(): boolean {
    let holds = this.#both();
    while (this.#take('OR')) {
      const other = this.#both();
      holds ||= other;
    }
    return holds;
  }

  #both(): boolean {
    let holds = this.#one();
    while (this.#take('AND')) {
      const other = this.#one();
      holds &&= other;
    }
    return holds;
  }

  #one(): boolean {
    if (this.#take('(')) {
      const inner = this.#either();
      return this.#take(')') && inner;
    }
    const name = this.#tokens.shift() ?? '';
    // An exception only adds permissions.
    if (this.#take('WITH')) {
      this.#tokens.shift();
    }
    return this.#allowed.has(name);
  }

  #take(token: string): boolean {
    const isNext = this.#tokens[0] === token;
    if (isNext) {
      this.#tokens.shift();
    }
    return isNext;
  }
}

/** The licence field of a package.json in all the forms that it has had. */
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
