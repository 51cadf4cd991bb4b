// Test support: runs the program.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../cli.mjs', import.meta.url));

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

  /** Waits up to 60 seconds for the next line that begins with `beginning`. */
  next(beginning) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no ${beginning}: ${this.lines.slice(-5)}`)), 60_000);
      this.#heard = (line) => {
        if (line.startsWith(beginning)) {
          clearTimeout(timer);
          resolve(line);
        }
      };
    });
  }

  /** Sends lines; returns the next line that begins with `beginning`. */
  ask(beginning, ...lines) {
    const answer = this.next(beginning);
    this.send(...lines);
    return answer;
  }
}
