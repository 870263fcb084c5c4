// The licence texts that must be distributed with the shipped packages. Pure.
export interface Notice {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  /** The texts of its LICENSE and NOTICE files. Empty if there are none. */
  readonly texts: readonly string[];
}

export function toNotices(project: string, notices: readonly Notice[]): string {
  const line = '-'.repeat(78);
  const parts = notices.map(({ name, version, licence, texts }) =>
    [line, `${name} ${version} (${licence})`, ...texts.map(text => `\n${text.trim()}`)].join('\n'),
  );
  return `What ${project} ships contains these packages:\n\n${parts.join('\n\n')}\n`;
}
