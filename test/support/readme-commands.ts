// The commands for a deployment in the documents.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../../infra/bundles/bundle.ts';

const pages = { eks: 'README.md', 'self-managed': 'docs/deployment.md' } as const;

/** Returns one command per line. `where` is the text of the comment that marks the block. */
export function deployCommands(where: keyof typeof pages): readonly string[] {
  const page = readFileSync(path.join(projectRoot, pages[where]), 'utf8');
  const [, block = ''] = new RegExp(`<!-- deploy: ${where} -->\\n\`\`\`sh\\n([^]*?)\`\`\``).exec(page) ?? [];
  return block.replaceAll('\\\n', ' ').split('\n').filter(Boolean);
}

/** Returns the commands with this prefix, without the prefix. */
export function argumentsOf(commands: readonly string[], program: string): readonly string[] {
  return commands.filter(line => line.startsWith(`${program} `)).map(line => line.slice(program.length + 1));
}
