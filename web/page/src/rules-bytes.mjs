// The rules module as bytes; esbuild embeds it.

export { default } from '../../rules.wasm';
