// The program under test: started, spoken to, waited for.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../cli.mjs', import.meta.url));

/** The program on its standard input and output. */
export class Program {
  constructor(...command) {
    this.lines = [];
    this.#child = spawn(process.execPath, [CLI, ...command], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.exit = new Promise((resolve) => this.#child.on('close', resolve));
    let rest = '';
    this.#child.stdout.setEncoding('utf8').on('data', (text) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop();
      for (const line of parts) {
        this.lines.push(line);
        this.#heard(line);
      }
    });
  }

  #child;
  #heard = () => {};

  send(...lines) {
    this.#child.stdin.write(lines.map((line) => `${line}\n`).join(''));
  }

  end() {
    this.#child.stdin.end();
  }

  /** The next line that begins like this; it must come within `patience` milliseconds. */
  next(beginning, patience = 60_000) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no ${beginning}: ${this.lines.slice(-5)}`)), patience);
      this.#heard = (line) => {
        if (line.startsWith(beginning)) {
          clearTimeout(timer);
          resolve(line);
        }
      };
    });
  }

  /** Sends lines, and returns the next line that begins like this. */
  ask(beginning, ...lines) {
    const answer = this.next(beginning);
    this.send(...lines);
    return answer;
  }
}
