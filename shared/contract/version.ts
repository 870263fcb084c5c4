// Semantic versions as Kubernetes writes them: optional "v", build metadata that counts.

export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  readonly prerelease: readonly string[];
  readonly build: readonly string[];
}

/** Tolerant: a leading "v" and missing minor and patch are accepted. `undefined` when it is no version. */
export function parseVersion(text: string): Version | undefined {
  throw new Error(`not written: ${text}`);
}

/** Semantic precedence: build metadata does not count. */
export function compareVersions(a: Version, b: Version): -1 | 0 | 1 {
  throw new Error(`not written: ${a} ${b}`);
}

/** Precedence, then build metadata. 'incomparable': equal but for build identifiers that have no order. */
export function compareVersionsWithBuild(a: Version, b: Version): -1 | 0 | 1 | 'incomparable' {
  throw new Error(`not written: ${a} ${b}`);
}

/** Version strings in display order: versions ascending, then those that are none, by name. */
export function sortVersionTexts(texts: readonly string[]): readonly string[] {
  throw new Error(`not written: ${texts}`);
}
