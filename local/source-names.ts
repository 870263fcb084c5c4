// The names of event sources on the command line.

export const sourceNames = ['forwarder', 'windowed', 'audit'] as const;

export type SourceName = (typeof sourceNames)[number];

export function isSourceName(text: string): text is SourceName {
  return sourceNames.some(name => name === text);
}
