import Importing

print(sessionType())
