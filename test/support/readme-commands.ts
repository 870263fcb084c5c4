// The commands that the README shows for a deployment, as a reader would type them.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../../infra/bundles/bundle.ts';

/** One command a line; `where` is what the block's mark says. */
export function deployCommands(where: 'eks' | 'self-managed'): readonly string[] {
  const readme = readFileSync(path.join(projectRoot, 'README.md'), 'utf8');
  const [, block = ''] = new RegExp(`<!-- deploy: ${where} -->\\n\`\`\`sh\\n([^]*?)\`\`\``).exec(readme) ?? [];
  return block.replaceAll('\\\n', ' ').split('\n').filter(Boolean);
}

/** Those that begin so; the rest of each. */
export function argumentsOf(commands: readonly string[], program: string): readonly string[] {
  return commands.filter(line => line.startsWith(`${program} `)).map(line => line.slice(program.length + 1));
}
