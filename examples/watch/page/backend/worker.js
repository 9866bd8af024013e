// The source of the worker: it runs the program, and passes requests of the page on. It follows
// wasm_exec.js of Go.

async function open({ wasm, file, plain }) {
  const reader = new FileReaderSync();
  const read = (offset, length) => {
    try {
      return new Uint8Array(reader.readAsArrayBuffer(file.slice(offset, offset + length)));
    } catch (error) {
      return `the browser cannot read the file: ${error.message}`;
    }
  };
  const go = new Go();
  const [first] = new Uint8Array(await wasm.slice(0, 1).arrayBuffer());
  const packed = first === 0x1f; // some servers let the browser unpack it
  const stream = packed ? wasm.stream().pipeThrough(new DecompressionStream('gzip')) : wasm.stream();
  const code = new Response(stream, { headers: { 'Content-Type': 'application/wasm' } });
  const { instance } = await WebAssembly.instantiateStreaming(code, go.importObject);
  go.run(instance).then(() => postMessage({ ended: 'the program has ended; perhaps the memory was too small' }));
  watch.open(file.name, file.size, plain, read);
  postMessage({ opened: true });
}

onmessage = ({ data }) => {
  if (data.wasm) {
    open(data).catch((error) => postMessage({ ended: error.message }));
    return;
  }
  const [status, body] = watch.call(data.name, data.query);
  postMessage({ id: data.id, status, body });
};
