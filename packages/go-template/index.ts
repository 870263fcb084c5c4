// Go templates with the functions of sprig, and YAML with the rules of Go. Pure.

// The parser and the renderer.

export { type ParsedTemplate, parseTemplate } from './parse.ts';
export { renderPlainTemplate } from './render-plain.ts';
export { renderTemplate } from './template.ts';

// The tree of a template, for tools.

export type { Operand, Pipe, TemplateNode } from './tree.ts';

// Limits of one rendering, and of several renderings together.

export { defaultLimits, type RenderLimits, unitsPerStep } from './limits.ts';

// The parser for the rendered text.

export { decodeYaml11 } from './yaml11.ts';
