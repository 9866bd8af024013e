const info = await (await fetch('api/info')).json()
document.title = info.title
