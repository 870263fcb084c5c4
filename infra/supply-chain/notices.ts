// The licences that what is shipped asks to be passed on, package by package. Pure.
export interface Notice {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  /** What its LICENSE and NOTICE files say; empty where it has none. */
  readonly texts: readonly string[];
}

export function toNotices(project: string, notices: readonly Notice[]): string {
  const line = '-'.repeat(78);
  const parts = notices.map(({ name, version, licence, texts }) =>
    [line, `${name} ${version} (${licence})`, ...texts.map(text => `\n${text.trim()}`)].join('\n'),
  );
  return `What ${project} ships contains these packages:\n\n${parts.join('\n\n')}\n`;
}
